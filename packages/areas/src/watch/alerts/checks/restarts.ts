import { type RawBuilder, sql } from 'kysely'

/** A restart that Muster ordered has this long. */
const restartMinutes = 15

/** Whether Muster ordered a restart of the device a moment ago. */
export const restarts = (device: string): RawBuilder<boolean> =>
  sql`EXISTS (SELECT FROM device_commands c WHERE c.device_id = ${sql.ref(`${device}.id`)} AND c.type = 'reboot' AND c.status IN ('completed', 'sent', 'running')
    AND coalesce(c.finished_at, c.started_at, c.sent_at, c.created_at) > now() - make_interval(mins => ${restartMinutes}))`
