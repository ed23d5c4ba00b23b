import { z } from 'zod'

const Numbered = z.object({ number: z.int(), request: z.unknown() })

/** Answers the requests of the parent process one by one, and ends with it. */
export function answerRequests(answer: (request: unknown) => Promise<unknown>): void {
  process.on('message', (message) => {
    const { number, request } = Numbered.parse(message)
    answer(request).then(
      (said) => process.send?.({ number, answer: said }),
      (error: Error) => process.send?.({ number, answer: null, error: error.stack ?? error.message }),
    )
  })
  process.on('disconnect', () => process.exit(0))
  // Ctrl-C reaches the whole group; the parent ends this process when it is done.
  process.on('SIGINT', () => undefined)
}
