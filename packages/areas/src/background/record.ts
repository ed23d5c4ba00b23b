// What arrives through the streams, and how the area that it belongs to stores it.
import type { Refused, Sent } from '@muster/backplane/batch.ts'
import type { StoredMessage } from '@muster/wire/up.ts'
import type pg from 'pg'
import type { PartnerEvent } from '../platform/live-events/publish.ts'
import type { WorkerParts } from './worker-parts.ts'

type Named<Message extends { readonly name: string; readonly body: unknown }> = Message extends unknown
  ? Readonly<Pick<Message, 'name' | 'body'>>
  : never

/** A checked frame of an agent, or what a gateway reports about a command. */
export type StreamRecord = Named<StoredMessage | { name: 'sent'; body: Sent } | { name: 'refused'; body: Refused }>
export type RecordName = StreamRecord['name']
type ByName = { readonly [Each in StreamRecord as Each['name']]: Each }
export type RecordOf<Name extends RecordName> = ByName[Name]

/** A record of a device that exists. */
export type Received<Name extends RecordName = RecordName> = RecordOf<Name> & {
  readonly deviceId: string
  /** When the gateway received it. */
  readonly atMs: number
}

export interface Stored {
  /** Published after the commit. */
  readonly events?: readonly PartnerEvent[]
  /** Records about rows that do not exist. */
  readonly dropped?: number
  /** Runs after the commit, in memory. A worker may die before it runs. */
  readonly afterCommit?: () => void
}

/** Records of some names and how they are stored. Each name has one store. */
export interface RecordStore<Name extends RecordName = RecordName> {
  readonly names: readonly Name[]
  /** `all` in the order of the stream, or only the `latest` of each device. */
  readonly keep: 'all' | 'latest'
  /** For `latest`: what remains of two records of a device; the later one unless set. */
  combine?(earlier: RecordOf<Name>, later: RecordOf<Name>): RecordOf<Name>
  /** Runs in the transaction that moves the position of the stream, if there are records. */
  store(client: pg.PoolClient, records: readonly Received<Name>[], parts: WorkerParts): Promise<Stored>
}

export const records = <const Name extends RecordName>(store: RecordStore<Name>): RecordStore<Name> => store
