import { loadPlatform } from './platform/load.ts'

/** A process that runs one script as another user, and ends with its exit code. */
export async function runUserScript([script = '']: readonly string[]): Promise<void> {
  const platform = await loadPlatform()
  process.exit(await platform.runUserScript(script))
}
