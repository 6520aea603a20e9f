"""Every request on its way in and out: what guards, counts and logs it, and which proxy is believed."""
