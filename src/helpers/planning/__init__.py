"""What a study would cost before any of it ran: what is to be made, asked and measured."""
