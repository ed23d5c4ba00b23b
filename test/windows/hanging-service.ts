// A Windows service that answers a stop with "stopping" and never stops. With the name of a library it is a program that ends with
// code 0 when Windows finds that library, with the restrictions that the agent sets.
import { dll, type Handle } from '../../apps/agent/src/platform/windows/native/koffi.ts'
import { wide } from '../../apps/agent/src/platform/windows/native/layout.ts'
import { joinServiceManager } from '../../apps/agent/src/platform/windows/service-host.ts'

const loadLibrary = dll('kernel32').func<(name: Buffer) => Handle>('LoadLibraryW', 'intptr_t', ['void *'])
const [, , library] = process.argv
if (library !== undefined) process.exit(Number(loadLibrary(wide(library))) === 0 ? 1 : 0)
void joinServiceManager().then(() => setInterval(() => undefined, 60_000))
