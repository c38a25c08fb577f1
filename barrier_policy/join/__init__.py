"""The join: what is known of a span, as the record that conditions see (design section 6)."""
