import { auditOf } from '@muster/testkit/audit.ts'
import { call, refusal } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { world } from '@muster/testkit/world.ts'
import { expect, it } from 'vitest'
import { commands } from '../commands/commands.contract.ts'
import { registry } from './registry.contract.ts'

const here = await world()
const [deviceId = ''] = await enrolled(here.orgAdmin, { orgId: here.org.id }, 'registry')
const hive = 'HKEY_LOCAL_MACHINE' as const
const firstLevel = /must be below a first-level key, such as SOFTWARE\\Vendor/

it('rejects the deletion of a first-level key of a hive, and does not audit it', async () => {
  for (const path of ['SOFTWARE', 'SYSTEM']) {
    const refused = await refusal(call(here.orgAdmin, registry.deleteKey, { deviceId, hive, path }))
    expect(refused).toMatchObject({ status: 400, message: expect.stringMatching(/^path: must be below a first-level/) })
  }
  const deeper = call(here.orgAdmin, registry.deleteKey, { deviceId, hive, path: 'SOFTWARE\\Vendor' })
  expect(await refusal(deeper)).toMatchObject({ status: 422, code: 'UNSUPPORTED_PLATFORM' })
  expect((await auditOf(deviceId)).map(({ action }) => action)).toEqual(['device.enroll'])
})

it('rejects the deletion of a first-level key by a queued command', async () => {
  const order = { id: deviceId, type: 'delete_registry_key', payload: { hive, path: 'SOFTWARE' } } as const
  expect(await refusal(call(here.orgAdmin, commands.create, order))).toMatchObject({
    status: 400,
    message: expect.stringMatching(firstLevel),
  })
})

it('rejects data that does not fit the type of the value', async () => {
  const value = { deviceId, hive, path: 'SOFTWARE\\Vendor', name: 'Port', type: 'REG_DWORD' as const }
  for (const data of ['text', '7'])
    expect(await refusal(call(here.orgAdmin, registry.setValue, { ...value, data }))).toMatchObject({
      status: 400,
      message: 'data: must be a number, whole and below 2^32 for REG_DWORD',
    })
})

it('rejects unknown fields beside the checks of the data', async () => {
  const value = { deviceId, hive, path: 'SOFTWARE\\Vendor', name: 'Port', type: 'REG_DWORD' as const, data: 1 }
  const given = { ...value, color: 'x' }
  expect(await refusal(call(here.orgAdmin, registry.setValue, given))).toMatchObject({
    status: 400,
    message: expect.stringMatching(/^Unknown field: color\./),
  })
})
