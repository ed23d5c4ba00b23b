import { ConfigError, type Invocation, readCommandLine, usage, useProxy } from './config.ts'
import { exitCodes } from './exit-codes.ts'
import type { Platform } from './platform/platform.ts'
import { useSystemProxies } from './proxy.ts'

/** Reads the command line, or prints what is wrong with it and exits. */
export function readInvocation(args: readonly string[], platform: Platform): Invocation {
  try {
    const invocation = readCommandLine(args, platform.defaultDataDirectory())
    if (invocation.kind === 'run' && invocation.config.proxy !== undefined) useProxy(invocation.config.proxy)
    useSystemProxies(platform.systemProxies)
    return invocation
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    process.stderr.write(`${error.message}\n\n${usage}\n`)
    process.exit(exitCodes.usage)
  }
}
