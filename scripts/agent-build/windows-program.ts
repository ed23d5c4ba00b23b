import { NtExecutable, NtExecutableResource } from 'resedit'

/** RT_RCDATA */
const rawData = 10
const codepage = 1200

/**
 * The runtime for Windows with a program inside it: as a resource that the runtime looks for once its fuse is set.
 * The library that does the same on other systems takes ten seconds for it.
 */
export function withProgram(runtime: Buffer, blob: Buffer, fuse: string): Buffer {
  const executable = NtExecutable.from(runtime, { ignoreCert: true })
  const resources = NtExecutableResource.from(executable)
  resources.entries.push({ type: rawData, id: 'NODE_SEA_BLOB', lang: 0, codepage, bin: new Uint8Array(blob).buffer })
  resources.outputResource(executable)
  const whole = Buffer.from(executable.generate())
  const at = whole.indexOf(`${fuse}:0`)
  if (at === -1 || whole.indexOf(fuse, at + 1) !== -1) throw new Error('The runtime has no fuse for a program')
  whole.write('1', at + fuse.length + 1)
  return whole
}
