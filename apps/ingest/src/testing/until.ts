/** Polls until the condition holds, and yields to the event loop in between. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5))
}
