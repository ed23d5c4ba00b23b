/** The agent cannot go on by itself; the message says what a person has to do. */
export class AgentStopped extends Error {
  override readonly name = 'AgentStopped'
}
