export interface Piece {
  readonly piece: Uint8Array
  readonly last: boolean
}

/** Cuts a stream of bytes into pieces of one size. The last piece says that it is, and may be empty. */
export async function* piecesOf(body: AsyncIterable<Uint8Array> | null, bytes: number): AsyncGenerator<Piece> {
  let held: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    held.push(chunk)
    size += chunk.length
    while (size > bytes) {
      const whole = Buffer.concat(held)
      yield { piece: whole.subarray(0, bytes), last: false }
      held = [whole.subarray(bytes)]
      size = whole.length - bytes
    }
  }
  yield { piece: Buffer.concat(held), last: true }
}

/** The pieces, preceded by one that was read already. A consumer that stops early releases the rest. */
export async function* startingWith(first: Piece | undefined, rest: AsyncGenerator<Piece>): AsyncGenerator<Piece> {
  try {
    if (first !== undefined) yield first
    yield* rest
  } finally {
    await rest.return(undefined)
  }
}
