"""The OpenClaw side: the plugin (JavaScript, in ``plugin/``), its installer, and the doctor."""
