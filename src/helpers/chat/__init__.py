"""One way to ask any model: requests in, checked replies out, every call kept so that a run can go on."""
