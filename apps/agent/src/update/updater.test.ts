import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FakeServer } from '../testing/fake-server.ts'
import { startAgent, temporaryFolder } from '../testing/test-agent.ts'

let server: FakeServer
beforeEach(async () => {
  server = await FakeServer.start()
})
afterEach(() => server.stop())

const offer = (version: string) =>
  server.order({
    ...{ name: 'update', sequence: 0 },
    body: { version, url: `${server.url}/agent`, sha256: 'a'.repeat(64), size: 7 },
  })
/** The reasons of all refusals that the agent sent. */
const refusals = () =>
  server.received.flatMap(({ message: { name, body } }) => (name === 'updateStatus' ? [[body.reason, body.error]] : []))
const refused = (times: number) => server.until(() => refusals().length === times && refusals().at(-1))
const switchTo = (enabled: boolean) => server.result(server.command('set_auto_update', { enabled }))

describe('U8: an update on the device', () => {
  test('is refused while auto-update is off, and reported again when the reason changes', async () => {
    await using folder = await temporaryFolder(true)
    await using _ = await startAgent(server.url, folder.path)
    await server.until(() => server.isConnected)
    await switchTo(false)
    offer('9.0.0')
    expect(await refused(1)).toEqual(['auto_update_off', 'Auto-update is turned off'])
    await switchTo(true)
    offer('9.0.0')
    expect((await refused(2))?.[0]).toBe('cannot_replace_itself')
    await switchTo(false)
    offer('9.0.0')
    expect(await refused(3)).toEqual(['auto_update_off', 'Auto-update is turned off'])
  })

  test('is refused while the auto-update setting is unreadable, until it is set again', async () => {
    await using folder = await temporaryFolder(true)
    await writeFile(join(folder.path, 'settings.json'), '{"autoUpdate":fal')
    {
      await using _ = await startAgent(server.url, folder.path)
      await server.until(() => server.isConnected)
      offer('9.0.0')
      const unreadable = [
        'auto_update_off',
        'The auto-update setting could not be read: turn auto-update on or off again',
      ]
      expect(await refused(1)).toEqual(unreadable)
      // Another setting is stored meanwhile: that does not restore this one.
      await server.result(server.command('refresh_inventory', {}))
    }
    await using _ = await startAgent(server.url, folder.path)
    await server.until(() => server.hellos.length === 2 && server.isConnected)
    offer('9.0.0')
    expect((await refused(2))?.[0]).toBe('auto_update_off')
    await switchTo(true)
    offer('9.0.0')
    expect((await refused(3))?.[0]).toBe('cannot_replace_itself')
  })
})
