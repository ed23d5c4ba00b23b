import { sql } from 'kysely'
import { updateTimeoutMs } from '../devices.rules.ts'

/** The status that users see, as SQL over `devices` and `device_state as state`. The same rule as `deviceStatus`. */
export const deviceStatusSql = sql<string>`(CASE WHEN devices.lifecycle <> 'active' THEN devices.lifecycle
  WHEN state.status = 'updating' AND state.updating_since <= now() - make_interval(secs => ${sql.lit(updateTimeoutMs / 1000)}) THEN 'offline'
  ELSE coalesce(state.status, 'offline') END)`
