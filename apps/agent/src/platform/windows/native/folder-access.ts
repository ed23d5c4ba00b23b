import { ownSid, u32Buffer } from './accounts.ts'
import { must, mustSucceed } from './errors.ts'
import { wide } from './layout.ts'
import { getDescriptorAccess, informationOf, localFree, setNamedSecurity, textToDescriptor } from './security-api.ts'

export const system = 'S-1-5-18'
export const administrators = 'S-1-5-32-544'
/** Rights to a folder and everything in it. */
const everything = 'FA'
export const readAndRun = '0x1200a9'

const fileObject = 1
export const keyObject = 4

/** The entries of a folder that only SYSTEM, administrators and the user of this process can open. */
export const closed = (): string[] =>
  [...new Set([system, administrators, ownSid()])].map((sid) => grant(everything, sid))

/** An entry of an access list, in the security descriptor language. */
export const grant = (rights: string, sid: string): string => `(A;OICI;${rights};;;${sid})`

/** Gives a folder, or a key of the registry, exactly these entries, and passes them on to everything in it. */
export function setAccess(name: string, entries: readonly string[], objectType: number = fileObject): void {
  const [descriptor, list] = [Buffer.alloc(8), Buffer.alloc(8)]
  const text = `D:P${entries.join('')}`
  must('ConvertStringSecurityDescriptor', textToDescriptor(wide(text), 1, descriptor, u32Buffer()))
  try {
    const present = u32Buffer()
    must('GetSecurityDescriptorDacl', getDescriptorAccess(descriptor.readBigUInt64LE(), present, list, u32Buffer()))
    const what = informationOf.access | informationOf.protectedAccess
    mustSucceed(
      'SetNamedSecurityInfoW',
      setNamedSecurity(wide(name), objectType, what >>> 0, null, null, list.readBigUInt64LE(), null),
    )
  } finally {
    localFree(descriptor.readBigUInt64LE())
  }
}
