"""Word lists for SQL: what statements do by their first word, and functions with side effects that no statement kind shows."""

from __future__ import annotations

import re
from typing import Final

from barrier_policy_plugins.effect_classes import word_set

from barrier_policy.facts.effect_class import EffectClass

FIRST_WORDS: Final = (
    (
        EffectClass.READ_ONLY,
        "SHOW DESCRIBE DESC USE HELP LIST CHECK BEGIN START COMMIT END ROLLBACK ABORT SAVEPOINT RELEASE FETCH DECLARE CLOSE "
        "SUMMARIZE DISCARD DEALLOCATE PREPARE LISTEN UNLISTEN PRAGMA SET RESET",
    ),
    (
        EffectClass.IDEMPOTENT,
        "VACUUM ANALYZE ANALYSE REINDEX OPTIMIZE CLUSTER REFRESH GRANT REVOKE COMMENT LOAD ATTACH DETACH INSTALL LOCK UNLOCK "
        "CACHE UNCACHE REPAIR MSCK SECURITY CHECKPOINT",
    ),
    (
        EffectClass.NON_IDEMPOTENT,
        "INSERT UPDATE MERGE REPLACE UPSERT COPY IMPORT EXPORT UNLOAD ALTER RENAME CALL EXEC EXECUTE DO NOTIFY KILL PUT CREATE",
    ),
    (EffectClass.IRREVERSIBLE, "DELETE TRUNCATE DROP PURGE UNDROP REMOVE"),
)
BY_FIRST_WORD: Final = {word: effect_class for effect_class, text in FIRST_WORDS for word in text.split()}
"""The class of a statement whose first word says what it does."""
PARSED: Final = word_set("SELECT WITH VALUES TABLE FROM (")
"""First words of statements that can hide a change, so that they have to be parsed."""
NAMED_AFTER: Final = word_set(
    "INTO UPDATE FROM JOIN TABLE VIEW INDEX ON DATABASE SCHEMA USER ROLE SEQUENCE FUNCTION PROCEDURE TYPE TRIGGER EXTENSION CALL EXEC "
    "EXECUTE TRUNCATE COPY VACUUM ANALYZE REINDEX KILL NOTIFY"
)
NOT_NAMES: Final = word_set(
    "DO IF NOT EXISTS ONLY CONCURRENTLY TABLE INTO FROM FULL VERBOSE ANALYZE SELECT LATERAL UNNEST VALUES CONFLICT SET OVERWRITE IGNORE TEMP "
    "TEMPORARY INDEX VIEW"
)
SIDE_EFFECT_FUNCTIONS: Final = word_set(
    "nextval setval set_config pg_terminate_backend pg_cancel_backend pg_reload_conf pg_rotate_logfile pg_switch_wal pg_promote "
    "pg_create_restore_point pg_start_backup pg_stop_backup pg_backup_start pg_backup_stop pg_wal_replay_pause pg_wal_replay_resume "
    "pg_create_physical_replication_slot pg_create_logical_replication_slot pg_drop_replication_slot pg_replication_slot_advance "
    "pg_logical_emit_message pg_logical_slot_get_changes pg_notify pg_file_write pg_file_unlink pg_file_rename pg_stat_reset "
    "pg_stat_reset_shared pg_stat_statements_reset pg_import_system_collations lo_import lo_export lo_create lo_creat lo_unlink lo_put "
    "lo_from_bytea lowrite lo_truncate dblink dblink_exec dblink_send_query xp_cmdshell sp_executesql sys_exec sys_eval load_extension "
    "writefile http_post http_put http_delete http_patch add_job delete_job run_job create_hypertable drop_chunks "
    "refresh_continuous_aggregate addgeometrycolumn dropgeometrycolumn updategeometrysrid"
)
ACTING_FUNCTION: Final = re.compile(
    r"^(?:insert|update|delete|create|drop|add|remove|apply|send|post|execute|exec|cancel|terminate|kill|import|purge|reset|grant|revoke|"
    r"fill|refresh|enqueue|dequeue|publish|pay|refund|charge|archive|migrate|backfill|rebuild|schedule|unschedule)_",
    re.IGNORECASE,
)
META_READS: Final = word_set(
    "l la z x a t H q g gx gdesc gset c h conninfo timing pset echo qecho warn encoding errverbose set unset connect cd watch crosstabview "
    "p r sf sv bind if elif else endif"
)
