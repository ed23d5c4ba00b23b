// Verifies a chain. Pure functions, so that they work on a database and on an export.
import { type ChainedRecord, chainHash, noHash } from './canonical.ts'
import { isSignedBy, type SignedHead } from './signed-heads.ts'

/** A record with its position in the chain. Hashes are hexadecimal. */
export interface ChainLink extends ChainedRecord {
  readonly previousHash: string
  readonly hash: string
}

export interface Fault {
  readonly kind: 'altered' | 'missing' | 'reordered' | 'truncated' | 'rewritten' | 'forged-head'
  readonly sequence: number
  readonly id: string | null
  readonly message: string
}

export interface ChainReport {
  readonly chainId: string
  readonly records: number
  readonly from: number
  readonly to: number
  /** Sequence of the newest signed head that the records were compared with; 0 when there is none. */
  readonly signedTo: number
  /** The first fault. */
  readonly fault: Fault | null
}

export interface ChainOptions {
  readonly heads: readonly SignedHead[]
  /** Trusted public keys by key ID. Null trusts the keys in the heads. */
  readonly keys: ReadonlyMap<string, string> | null
  /** The records are filtered, so gaps are no fault. */
  readonly partial?: boolean
}

/** Checks the records of one chain, in the order of their sequence, against each other and against the signed heads. */
export class ChainCheck {
  readonly #chainId: string
  readonly #options: ChainOptions
  readonly #heads: readonly SignedHead[]
  /** The record before the first kept one. Gaps up to here are explained by retention. */
  readonly #floor: { readonly sequence: number; readonly hash: string }
  #expected = 1
  #previous = noHash.toString('hex')
  #records = 0
  #from = 0
  #to = 0
  #nextHead = 0
  #fault: Fault | null = null

  constructor(chainId: string, options: ChainOptions) {
    this.#chainId = chainId
    this.#options = options
    const own = options.heads.filter((head) => head.chainId === chainId)
    const forged = own.find((head) => !this.#isTrusted(head))
    if (forged !== undefined) {
      this.#report('forged-head', forged.sequence, null, `the head at ${forged.sequence} is not signed by a known key`)
    }
    const floors = own.filter(({ kind }) => kind === 'floor').sort((a, b) => b.sequence - a.sequence)
    this.#floor = floors[0] ?? { sequence: 0, hash: noHash.toString('hex') }
    this.#heads = own.filter(({ kind }) => kind === 'head').sort((a, b) => a.sequence - b.sequence)
  }

  /** Checks the next record. @returns false after the first fault */
  add(link: ChainLink): boolean {
    if (this.#fault !== null) return false
    this.#records += 1
    this.#from ||= link.sequence
    this.#checkPlace(link)
    const own = chainHash(Buffer.from(link.previousHash, 'hex'), link).toString('hex')
    if (own !== link.hash)
      this.#report('altered', link.sequence, link.id, 'the hash of this record does not match its content')
    this.#checkHeads(link)
    this.#expected = link.sequence + 1
    this.#previous = link.hash
    this.#to = link.sequence
    return this.#fault === null
  }

  /** @param end the expected end of the chain, if known */
  finish(end?: number): ChainReport {
    const signedTo = this.#heads.at(-1)?.sequence ?? 0
    const claimed = Math.max(signedTo, end ?? 0)
    if (this.#options.partial !== true && claimed > Math.max(this.#to, this.#floor.sequence)) {
      this.#report('truncated', this.#to + 1, null, `the chain goes to ${claimed}, but the records end at ${this.#to}`)
    }
    return {
      chainId: this.#chainId,
      records: this.#records,
      from: this.#from,
      to: this.#to,
      signedTo,
      fault: this.#fault,
    }
  }

  #checkPlace({ sequence, id, previousHash }: ChainLink): void {
    if (sequence < this.#expected) {
      this.#report('reordered', sequence, id, 'another record has the same sequence')
      return
    }
    if (this.#expected <= this.#floor.sequence && sequence > this.#floor.sequence) {
      this.#expected = this.#floor.sequence + 1
      this.#previous = this.#floor.hash
    }
    const gap = sequence > this.#expected
    if (gap && this.#options.partial !== true && sequence > this.#floor.sequence) {
      this.#report('missing', this.#expected, null, `record ${this.#expected} is missing before ${sequence}`)
      return
    }
    if (!gap && previousHash !== this.#previous) {
      this.#report('reordered', sequence, id, 'the previous hash of this record does not match the record before it')
    }
  }

  /** A signed head must have the hash of the record at its sequence. */
  #checkHeads({ sequence, id, hash }: ChainLink): void {
    for (
      let head = this.#heads[this.#nextHead];
      head && head.sequence <= sequence;
      head = this.#heads[++this.#nextHead]
    ) {
      if (head.sequence === sequence && head.hash !== hash) {
        this.#report('rewritten', sequence, id, 'the signed head has another hash for this record')
      }
    }
  }

  #isTrusted(head: SignedHead): boolean {
    const { keys } = this.#options
    const key = keys === null ? head.publicKey : keys.get(head.keyId)
    return key !== undefined && isSignedBy(head, key)
  }

  #report(kind: Fault['kind'], sequence: number, id: string | null, message: string): void {
    this.#fault ??= { kind, sequence, id, message }
  }
}
