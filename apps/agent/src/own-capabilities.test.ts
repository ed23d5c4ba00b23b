import { capabilityNames, encodeCapabilities, type Obstacles } from '@muster/wire/capabilities.ts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createRegistry } from './commands/registry.ts'
import { Identity } from './identity.ts'
import { InventoryReporter } from './inventory-reporter.ts'
import { createLog } from './log.ts'
import { OrderKeys } from './orders/order-keys.ts'
import { ScriptGrants } from './orders/script-grants.ts'
import { ScriptSecrets } from './orders/script-secrets.ts'
import { Outbox } from './outbox.ts'
import { loadPlatform } from './platform/load.ts'
import { Settings } from './settings.ts'
import { FakeServer } from './testing/fake-server.ts'
import { startAgent, temporaryFolder, testPlatform } from './testing/test-agent.ts'

let server: FakeServer
let lacks: Obstacles = {}
beforeAll(async () => {
  testPlatform.given = { ...(await loadPlatform()), obstacles: async () => lacks }
})
beforeEach(async () => {
  server = await FakeServer.start()
  return () => server.stop()
})
afterAll(() => {
  delete testPlatform.given
})

test('an agent says with each connection what it can do now', async () => {
  await using folder = await temporaryFolder()
  server.behavior.tickets = { takes: true }
  lacks = { list_services: 'MISSING_TOOL' }
  await using _agent = await startAgent(server.url, folder.path)
  await server.next('inventory')
  // The next message has been read, and so has the ticket before it.
  await server.result(server.command('set_auto_update', { enabled: true }))
  expect(server.hellos.map(({ capabilities }) => capabilities)).toEqual([encodeCapabilities(lacks)])
  lacks = { reboot: 'NOT_PERMITTED' }
  server.drop()
  await server.until(() => server.resumes.length === 1)
  expect(server.resumes[0]?.capabilities).toBe(encodeCapabilities(lacks))
})

test('an agent connects again when an inventory finds that it can do more, and keeps the result', async () => {
  await using folder = await temporaryFolder()
  lacks = { 'script:python': 'MISSING_TOOL' }
  await using _agent = await startAgent(server.url, folder.path)
  await server.next('inventory')
  expect(server.hellos).toHaveLength(1)
  lacks = {}
  const refreshed = server.command('refresh_inventory', {})
  await server.until(() => server.hellos.length === 2)
  expect(server.hellos[1]?.capabilities).toBe(encodeCapabilities({}))
  expect(await server.result(refreshed)).toMatchObject({ status: 'completed' })
  expect(await server.result(server.command('refresh_inventory', {}))).toMatchObject({ status: 'completed' })
  expect(server.hellos).toHaveLength(2)
})

test('every command of the agent is a capability, and every other capability is a language', async () => {
  await using folder = await temporaryFolder()
  const platform = await loadPlatform()
  const [settings, log] = [await Settings.open(folder.path), createLog(false, () => undefined)]
  const facts = async () => ({ ...(await platform.facts()), agentVersion: '1' })
  const reporter = new InventoryReporter({ facts, outbox: new Outbox(), settings, log })
  const tools = platform.tools([])
  const registry = createRegistry({
    platform,
    settings,
    reporter,
    scriptsDirectory: folder.path,
    tools,
    checkers: {},
    grants: new ScriptGrants({
      keys: await OrderKeys.open(folder.path, 'grants'),
      identity: await Identity.open(folder.path),
      gate: () => ({ askForGrant: async () => undefined, now: Date.now }),
    }),
    secrets: new ScriptSecrets(await Identity.open(folder.path)),
    log,
  })
  const others: readonly string[] = ['run_as_user', 'run_as_named_user', 'secrets', 'watch_facts']
  const commands = capabilityNames.filter((name) => !name.startsWith('script:') && !others.includes(name))
  expect([...registry.keys()].sort()).toEqual([...commands].sort())
})
