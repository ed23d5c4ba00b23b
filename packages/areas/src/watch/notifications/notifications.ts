import { allOf, equals } from '@muster/db/conditions.ts'
import { paged } from '@muster/db/page.ts'
import type { Caller } from '@muster/kit/access.ts'
import { notFound } from '@muster/kit/errors.ts'
import { type Call, implement } from '../../operation.ts'
import { liveEventsOf, publishEvents } from '../../platform/live-events/index.ts'
import { within, withinOrOfPartner } from '../../tenancy/tenancy/index.ts'
import { notificationsChanged } from './notification-events.contract.ts'
import { notifications as contract, Notification, NotificationEvent } from './notifications.contract.ts'
import { changedFor } from './notify.ts'

/** The caller's own, of the tenant in which it acts. Those of organizations that it no longer reaches are hidden. */
const own = (caller: Caller) =>
  allOf(
    equals('userId', caller.userId),
    caller.scope === 'organization'
      ? within(caller, 'orgId', 'partnerId')
      : withinOrOfPartner(caller, 'orgId', 'partnerId'),
  )

/** Tells the other sessions of the caller. */
function tellSessions({ caller, services, afterCommit }: Call): void {
  const { partnerId } = caller
  if (partnerId === null) return
  afterCommit(() => publishEvents(services.redis, [changedFor(partnerId, caller.userId)]))
}

export default implement(contract, {
  async list({ caller, db, input: { page, limit, unread, type, priority } }) {
    const found = db
      .selectFrom('notifications')
      .where(own(caller))
      .$if(unread !== undefined, (query) => query.where('readAt', unread === true ? 'is' : 'is not', null))
      .$if(type !== undefined, (query) => query.where('type', '=', type ?? 'alert'))
      .$if(priority !== undefined, (query) => query.where('priority', '=', priority ?? 'normal'))
    const { data, pagination } = await paged(found.selectAll().orderBy('createdAt', 'desc').orderBy('id'), {
      page,
      limit,
    })
    return { data: data.map((row) => Notification.parse(row)), pagination }
  },

  async unreadCount({ caller, db }) {
    const { count } = await db
      .selectFrom('notifications')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where(own(caller))
      .where('readAt', 'is', null)
      .executeTakeFirstOrThrow()
    return { count: Number(count) }
  },

  async update(call) {
    const { caller, db, services, input } = call
    const readAt = input.read === true ? new Date(services.clock.now()).toISOString() : null
    const changed = await db
      .updateTable('notifications')
      .set((eb) => ({ readAt: readAt === null ? null : eb.fn.coalesce('readAt', eb.val(readAt)) }))
      .where('id', '=', input.id)
      .where(own(caller))
      .returningAll()
      .executeTakeFirst()
    if (changed === undefined) throw notFound('Notification')
    tellSessions(call)
    return Notification.parse(changed)
  },

  async remove(call) {
    const { caller, db, input } = call
    const { numDeletedRows } = await db
      .deleteFrom('notifications')
      .where('id', '=', input.id)
      .where(own(caller))
      .executeTakeFirst()
    if (numDeletedRows === 0n) throw notFound('Notification')
    tellSessions(call)
    return { success: true as const }
  },

  async clear(call) {
    const { numDeletedRows } = await call.db.deleteFrom('notifications').where(own(call.caller)).executeTakeFirst()
    tellSessions(call)
    return { deleted: Number(numDeletedRows) }
  },

  async *events({ caller, services, request }) {
    const events = await liveEventsOf(services).watch({
      kinds: [notificationsChanged],
      partnerId: caller.scope === 'system' ? null : caller.partnerId,
      signal: request.signal,
      accepts: (event) => event.userId === caller.userId,
    })
    yield { type: 'resync' as const, at: services.clock.now() }
    for await (const event of events) {
      const known = NotificationEvent.safeParse(event)
      if (known.success) yield known.data
    }
  },
})
