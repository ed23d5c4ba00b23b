import type { z } from 'zod'

/** The reply of a simulated tool. `data` carries the bytes of a file. */
export interface Answer {
  readonly result: Record<string, unknown>
  readonly data?: Uint8Array
}

/** Answers one request. `now` is in milliseconds since 1970. */
export type Tool = (payload: Record<string, unknown>, now: number, data: Uint8Array) => Answer

/** Tools by the type of the command. */
export type Tools = Readonly<Record<string, Tool>>

/** An error code of agents with its message. */
export class Refusal extends Error {
  constructor(
    code:
      | 'NOT_FOUND'
      | 'EXISTS'
      | 'DENIED'
      | 'INVALID_PAYLOAD'
      | 'TOO_LARGE'
      | 'UNSUPPORTED_PLATFORM'
      | 'UNSUPPORTED_COMMAND',
    message: string,
  ) {
    super(`${code}: ${message}`)
  }
}

/** A tool whose payload and result are checked with the schemas of the protocol. */
export const tool =
  <In extends z.ZodType<Record<string, unknown>>, Out extends z.ZodType<Record<string, unknown>>>(
    input: In,
    output: Out,
    answer: (payload: z.output<In>, now: number) => z.input<Out>,
  ): Tool =>
  (payload, now) => {
    const given = input.safeParse(payload)
    if (!given.success) throw new Refusal('INVALID_PAYLOAD', given.error.issues[0]?.message ?? 'is not valid')
    return { result: output.parse(answer(given.data, now)) }
  }
