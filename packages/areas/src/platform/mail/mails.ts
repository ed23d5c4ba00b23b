import { asSystem } from '@muster/db/database.ts'
import { paged } from '@muster/db/page.ts'
import { notFound } from '@muster/kit/errors.ts'
import { sql } from 'kysely'
import { implement } from '../../operation.ts'
import { mails as contract } from './mails.contract.ts'

const status = sql<'waiting' | 'sent' | 'failed'>`CASE WHEN sent_at IS NOT NULL THEN 'sent'
  WHEN failed_at IS NOT NULL THEN 'failed' ELSE 'waiting' END`

export default implement(contract, {
  // Requests cannot read the outbox, because it contains links. The system's connection reads it without the content.
  async list({ input: { page, limit, ...input }, services }) {
    return asSystem(services.system, async (db) => {
      const found = db
        .selectFrom('mailOutbox')
        .$if(input.status !== undefined, (query) => query.where(status, '=', input.status ?? 'sent'))
      return paged(
        found
          .select(['id', 'partnerId', 'orgId', 'toAddress', 'template', 'attempts', 'lastError', 'sentAt', 'createdAt'])
          .select(status.as('status'))
          .select(
            sql<string | null>`CASE WHEN sent_at IS NULL AND failed_at IS NULL THEN next_attempt_at END`.as(
              'nextAttemptAt',
            ),
          )
          .orderBy('createdAt', 'desc')
          .orderBy('id'),
        { page, limit },
      )
    })
  },

  async retry({ input: { id }, services, write, audit }) {
    await write(async (db) => {
      const mail = await db
        .updateTable('mailOutbox')
        .set({ failedAt: null, attempts: 0, nextAttemptAt: new Date(services.clock.now()).toISOString() })
        .where('id', '=', id)
        .where('sentAt', 'is', null)
        .returning(['toAddress', 'template', 'partnerId', 'orgId', 'lastError'])
        .executeTakeFirst()
      if (mail === undefined) throw notFound('Mail')
      const { partnerId, orgId, template, lastError } = mail
      audit({ target: id, name: mail.toAddress, partnerId, orgId, details: { template, lastError } })
    })
    return { success: true as const }
  },
})
