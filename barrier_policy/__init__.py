"""Policy as code for transcript compaction."""
