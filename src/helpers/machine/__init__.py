"""What a machine has: hardware, programs, weights, keys and servers, each as a line for `helpers.doctor`."""
