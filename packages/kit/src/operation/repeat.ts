/** What an earlier request with the same key was answered. */
export class EarlierAnswer {
  readonly output: unknown
  constructor(output: unknown) {
    this.output = output
  }
}

/** One request with a key. All of it refuses another input under the same key. */
export interface Repeat<Db> {
  /** The earlier answer, where there is one. */
  find(): Promise<EarlierAnswer | null>
  /** Takes the key for this request until its transaction ends. @throws CONFLICT while another request holds it */
  claim(db: Db): Promise<EarlierAnswer | null>
  /** Notes with a transaction's commit that something was changed. */
  acted(db: Db): void
  /** Stores the answer with the commit. */
  keep(db: Db, output: unknown): void
  /** Gives the key back after a failure. Unless the request was refused, it stays taken once something was changed. */
  release(refused: boolean): Promise<void>
}
