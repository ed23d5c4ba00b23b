import type pg from 'pg'
import { at } from '../../background/job.ts'

const keptDays = 90

export const forgetOldNotifications = (pool: pg.Pool): Promise<unknown> =>
  pool.query('DELETE FROM notifications WHERE created_at < now() - make_interval(days => $1)', [keptDays])

export const forgetNotifications = at('58 2 * * *', 'forget-notifications', ({ pool }) => forgetOldNotifications(pool))
