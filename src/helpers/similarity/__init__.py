"""How alike texts about countries are (CultureScore, Appendix A.2), and what that number can tell."""
