import { call } from '@muster/testkit/call.ts'
import { outgoingForTests } from '@muster/testkit/outgoing.ts'
import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { describe, expect, it } from 'vitest'
import { devSmsKey } from '../../platform/sms/index.ts'
import { createRuntime, createServices } from '../../runtime.ts'
import { alertChannels } from './channels.contract.ts'

const services = await testServices()
const { partnerAdmin, org } = await world()
const settings = { ...services.settings, outgoing: { ...outgoingForTests, keepsUnsent: true } }
const runtime = createRuntime(createServices({ ...services, settings }))

describe('an installation with an outbox', () => {
  it.each([
    ['email', 'ann.of.the.outbox@example.test'],
    ['sms', '+491709876543'],
  ] as const)('keeps what channels of the type %s send', async (type, to) => {
    const given = { orgId: org.id, name: 'On call', type, config: { to: [to] } }
    const { id } = await call(partnerAdmin, alertChannels.create, given)
    const sent = await call(partnerAdmin, alertChannels.test, { id }, { runtime })
    expect(sent).toMatchObject({ delivered: true, error: null })
    const { data } = await call(partnerAdmin, alertChannels.list, { limit: 100 })
    expect(data.find((each) => each.id === id)?.status).toBe('ok')
    const mails = await services.system.query('SELECT data FROM mail_outbox WHERE to_address = $1', [to])
    const texts = await services.redis.lrange(devSmsKey, 0, -1)
    const kept = type === 'email' ? JSON.stringify(mails.rows) : texts.filter((text) => text.includes(to)).join()
    expect(kept).toContain('On call')
  })
})
