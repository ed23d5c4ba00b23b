import type { Disk } from '@muster/wire/messages/inventory.ts'
import { localDrives } from '../calls/volumes.ts'
import { native } from '../thread/native-thread.ts'
import { encryptionOf } from './encryption-words.ts'

/** The volumes of local drives. One that does not answer is listed without its figures. */
export async function collectDisks(): Promise<Disk[]> {
  return Promise.all(
    localDrives().map(async (root) => {
      const volume = await native('volumeOf', [root]).catch(() => ({ name: root, kind: 'volume', mount: root }))
      const protection = await native('protectionOf', [root]).catch(() => undefined)
      return { ...volume, encryption: encryptionOf(protection) }
    }),
  )
}
