import { type LedgerPage, mark } from './generator/ledger.ts'

/** The outcome of every frame of a run. */
export interface Verdict {
  readonly sent: number
  readonly acknowledged: number
  readonly stored: number
  /** Acknowledged but not stored: must never happen. */
  readonly lost: number
  /** Stored more than once. */
  readonly duplicates: number
  /** Stored although it was never sent. */
  readonly strangers: number
  /** Sent, neither acknowledged nor stored. */
  readonly unanswered: number
  /** sent = acknowledged = stored, as sets. */
  readonly isEqual: boolean
}

/** Compares, frame by frame, what agents sent and saw acknowledged with the stored rows. */
export class StoredCheck {
  readonly #pages: readonly LedgerPage[]
  #duplicates = 0
  #strangers = 0

  constructor(pages: readonly LedgerPage[]) {
    this.#pages = pages
  }

  /** Records a stored row. `agent` is its index in the whole fleet. */
  stored(agent: number, bootId: number, sequence: number): void {
    const page = this.#pages.find(({ first, agents }) => agent >= first && agent < first + agents)
    if (page === undefined || page.bootId !== bootId || sequence < 1 || sequence > page.sequencesMax) {
      this.#strangers++
      return
    }
    const place = (agent - page.first) * page.sequencesMax + sequence - 1
    const marks = page.marks[place] ?? 0
    if ((marks & mark.sent) === 0) this.#strangers++
    else if ((marks & mark.stored) !== 0) this.#duplicates++
    else page.marks[place] = marks | mark.stored
  }

  verdict(): Verdict {
    let sent = 0
    let acknowledged = 0
    let stored = 0
    let lost = 0
    let unanswered = 0
    for (const { marks } of this.#pages) {
      for (const each of marks) {
        if ((each & mark.sent) === 0) continue
        sent++
        if ((each & mark.acknowledged) !== 0) acknowledged++
        if ((each & mark.stored) !== 0) stored++
        else if ((each & mark.acknowledged) !== 0) lost++
        else unanswered++
      }
    }
    const [duplicates, strangers] = [this.#duplicates, this.#strangers]
    const isEqual = sent === acknowledged && sent === stored && duplicates === 0 && strangers === 0
    return { sent, acknowledged, stored, lost, duplicates, strangers, unanswered, isEqual }
  }
}

/** The sum of several verdicts. */
export function sumOf(verdicts: readonly Verdict[]): Verdict {
  const sum = (of: Exclude<keyof Verdict, 'isEqual'>) => verdicts.reduce((total, verdict) => total + verdict[of], 0)
  return {
    sent: sum('sent'),
    acknowledged: sum('acknowledged'),
    stored: sum('stored'),
    lost: sum('lost'),
    duplicates: sum('duplicates'),
    strangers: sum('strangers'),
    unanswered: sum('unanswered'),
    isEqual: verdicts.every(({ isEqual }) => isEqual),
  }
}
