"""What hosts report while an agent works: made private, judged, kept once, and handed on to be worked on."""
