import { type CloseName, closeCodes } from './close-codes.ts'

/** The faults of a frame. */
export type Fault = 'malformed' | 'unknownType' | 'tooLarge'

/** The only error that decoding throws. */
export class WireError extends Error {
  readonly fault: Fault

  constructor(fault: Fault, detail: string) {
    super(detail)
    this.name = 'WireError'
    this.fault = fault
  }

  get closeCode(): number {
    const name: CloseName = this.fault
    return closeCodes[name].code
  }
}
