import { call, refusal } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { world } from '@muster/testkit/world.ts'
import { expect, it } from 'vitest'
import { refusalIn } from '../commands/delivery/ask-device.ts'
import { eventLogs } from './event-logs.contract.ts'
import { files } from './files.contract.ts'
import { processes } from './processes.contract.ts'
import { registry } from './registry.contract.ts'
import { services } from './services.contract.ts'
import { tasks } from './tasks.contract.ts'

const here = await world()
const [deviceId = ''] = await enrolled(here.orgAdmin, { orgId: here.org.id }, 'invalid-input')

const operations = Object.entries({ eventLogs, files, processes, registry, services, tasks }).flatMap(([area, group]) =>
  Object.entries(group).map(([name, operation]) => ({ name: `${area}.${name}`, operation })),
)

it.each(operations)('names each invalid field of $name', async ({ operation }) => {
  for (const field of Object.keys(operation.input.shape)) {
    for (const wrong of [{}, 'a\0b', [{}]]) {
      const refused = await refusal(call(here.orgAdmin, operation, { deviceId, [field]: wrong }))
      const issue = expect.objectContaining({ path: expect.stringMatching(new RegExp(`^${field}(\\.|$)`)) })
      const extra = { issues: expect.arrayContaining([issue]) }
      expect(refused).toMatchObject({ status: 400, code: 'VALIDATION_ERROR', extra })
    }
  }
})

it.each([
  ['NOT_PERMITTED', 403],
  ['NOT_FOUND', 404],
  ['CHANGED', 409],
])('answers %s of a device with status %i and its words', (code, status) => {
  const words = 'Registry key HKEY_LOCAL_MACHINE\\SAM'
  const refused = refusalIn({ status: 'failed', error: `${code}: ${words}` }, ['path'])
  expect(refused).toMatchObject({ status, message: words })
  expect(refused.body()).toMatchObject({ deviceCode: code })
})

it.each([
  ['path C:\\a:b names a stream', { path: 'path', message: 'C:\\a:b names a stream' }],
  ['path: Windows allows no new keys', { path: 'path', message: 'Windows allows no new keys' }],
  ['data of REG_SZ must be a text', { path: 'data', message: 'of REG_SZ must be a text' }],
  ['data.0 is required', { path: 'data', message: 'is required' }],
  ['another fault', { path: '', message: 'another fault' }],
])('names the field that the device refuses: %s', (words, issue) => {
  const refused = refusalIn({ status: 'failed', error: `INVALID_PAYLOAD: ${words}` }, ['path', 'data'])
  expect(refused.body()).toMatchObject({ code: 'VALIDATION_ERROR', message: words, issues: [issue] })
})
