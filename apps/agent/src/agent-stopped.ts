/** The agent cannot continue until a person acts; the message says what to do. */
export class AgentStopped extends Error {
  override readonly name = 'AgentStopped'
}
