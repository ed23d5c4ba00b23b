import { publishLive } from '@muster/backplane/live.ts'
import { call, events, refusal } from '@muster/testkit/call.ts'
import { enrolled } from '@muster/testkit/machines.ts'
import { testServices } from '@muster/testkit/services.ts'
import { world } from '@muster/testkit/world.ts'
import { expect, it } from 'vitest'
import { inventory } from '../../../fleet/devices/inventory/inventory.contract.ts'
import { commands } from '../commands.contract.ts'
import { output } from './output.contract.ts'

const { system, redis } = await testServices()
const here = await world()
const [device = ''] = await enrolled(here.orgAdmin, { orgId: here.org.id }, 'talks')
const script = { type: 'run_script', payload: { script: 'x' } } as const

/** Stores more output or the end, and tells of it, as a worker does. */
async function shows(commandId: string, stdout: string, status = 'running') {
  await system.query(
    `UPDATE device_commands SET status = $3, stdout = coalesce(stdout, '') || $2, exit_code = CASE WHEN $3 = 'completed' THEN 0 END WHERE id = $1`,
    [commandId, stdout, status],
  )
  const type = status === 'running' ? 'command.output' : 'command.changed'
  const place = { orgId: here.org.id, siteId: null, deviceId: device, at: Date.now() }
  await publishLive(redis, here.partner.id, [{ type, ...place, commandId, status }])
}

it('streams output as it grows, and continues at the offset after a reconnect', async () => {
  const { id: commandId } = await call(here.orgAdmin, commands.create, { id: device, ...script })
  await shows(commandId, 'één\n')
  const watching = events(here.orgAdmin, output.follow, { id: device, commandId })
  expect((await watching.next()).value).toEqual({ type: 'status', status: 'running' })
  expect((await watching.next()).value).toEqual({ type: 'output', stream: 'stdout', offset: 0, output: 'één\n' })
  const next = watching.next()
  await shows(commandId, 'two\n')
  expect((await next).value).toEqual({ type: 'output', stream: 'stdout', offset: 6, output: 'two\n' })
  await watching.return(undefined)
  await shows(commandId, 'three\n', 'completed')
  const told = []
  for await (const event of events(here.orgAdmin, output.follow, { id: device, commandId, stdout: 10 }))
    told.push(event)
  expect(told).toEqual([
    { type: 'status', status: 'completed' },
    { type: 'output', stream: 'stdout', offset: 10, output: 'three\n' },
    { type: 'ended', status: 'completed', exitCode: 0, error: null },
  ])
})

it('rejects callers who do not see the device', async () => {
  const { id: commandId } = await call(here.orgAdmin, commands.create, { id: device, ...script })
  const outsider = (await world()).orgAdmin
  const watching = events(outsider, output.follow, { id: device, commandId })
  expect(await refusal(watching.next())).toMatchObject({ status: 404 })
  expect(await refusal(call(outsider, inventory.changes, { id: device }))).toMatchObject({ status: 404 })
})

it('changes of the inventory are shown newest first, and go where the device goes', async () => {
  await system.query(
    `INSERT INTO device_inventory_log (device_id, org_id, partner_id, at, section, action, name, before, after)
     SELECT id, org_id, partner_id, now() - n * interval '1 minute', 'software', 'changed', 'bash-' || n, '{"version":"1"}', '{"version":"2"}'
     FROM devices, generate_series(1, 3) AS n WHERE id = $1`,
    [device],
  )
  const { data, pagination } = await call(here.orgAdmin, inventory.changes, {
    id: device,
    section: 'software',
    limit: 2,
  })
  expect([data.map(({ name }) => name), pagination.total]).toEqual([['bash-1', 'bash-2'], 3])
  expect(data[0]).toMatchObject({ action: 'changed', before: { version: '1' }, after: { version: '2' } })
})
