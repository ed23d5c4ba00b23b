import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { mails } from './mails.contract.ts'

describe('the outbox', async () => {
  const { system } = await testServices()
  const { systemAdmin, partnerAdmin, partner } = await world()
  const { rows } = await system.query<{ id: string }>(
    `INSERT INTO mail_outbox (partner_id, to_address, template, attempts, failed_at, last_error)
     VALUES ($1, 'a@example.test', 'notice', 8, now(), 'mailbox full') RETURNING id`,
    [partner.id],
  )
  const id = rows[0]?.id ?? ''
  const statusOf = async () =>
    (await call(systemAdmin, mails.list, { limit: 100 })).data.find((mail) => mail.id === id)?.status

  it('shows failed mail, and sends it again when asked to', async () => {
    expect(await statusOf()).toBe('failed')
    expect(await call(systemAdmin, mails.retry, { id })).toEqual({ success: true })
    expect(await statusOf()).toBe('waiting')
    expect(await auditOf(id)).toMatchObject([{ action: 'mail.retry', details: { lastError: 'mailbox full' } }])
  })

  it('refuses to send again what was sent, and callers of partners', async () => {
    await system.query('UPDATE mail_outbox SET sent_at = now() WHERE id = $1', [id])
    expect(await refusal(call(systemAdmin, mails.retry, { id }))).toMatchObject({ status: 404 })
    expect(await refusal(call(partnerAdmin, mails.list, {}))).toMatchObject({ status: 403 })
  })
})
