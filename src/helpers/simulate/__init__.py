"""Studies whose truth is known: answers, ratings and rankings by raters whose faults are set by dials."""
