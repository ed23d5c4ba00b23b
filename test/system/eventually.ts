/** Polls until there is a value; throws after the timeout. */
export async function eventually<T>(ask: () => Promise<T | undefined | false | null>, withinMs = 30_000): Promise<T> {
  const deadline = Date.now() + withinMs
  for (;;) {
    const answer = await ask()
    if (answer !== undefined && answer !== false && answer !== null) return answer
    if (Date.now() > deadline) throw new Error(`no value within ${withinMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
