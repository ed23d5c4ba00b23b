import { readIfPresent, writeDurably } from '../../durable-file.ts'

const settingsFile = '/etc/muster/agent.env'

/** Removes the key's line from the settings of the service. A user who cannot write them has no key there. */
export async function forgetInstalledKey(path = settingsFile): Promise<void> {
  const text = await readIfPresent(path).catch(() => undefined)
  if (text === undefined || !/^MUSTER_ENROLLMENT_KEY=/m.test(text)) return
  await writeDurably(path, text.replaceAll(/^MUSTER_ENROLLMENT_KEY=.*\n?/gm, ''))
}
