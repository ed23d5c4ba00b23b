import { ToolFailure } from '../tool-failure.ts'
import type { ServiceTools } from './tools.ts'

/** Services of a machine, of which the agent's own cannot be ended: what would have to start it again ends with it. */
export function withoutOwn(services: ServiceTools, ...ownNames: readonly string[]): ServiceTools {
  const own = new Set(ownNames.map((name) => name.toLowerCase()))
  /** Also under another name: an administrator may have made a service of the agent. */
  const runsAgent = async (name: string) => {
    const pid = await services.detail(name).then(
      ({ mainPid }) => mainPid,
      () => null,
    )
    return pid === process.pid || pid === process.ppid
  }
  return {
    ...services,
    async control(name, action) {
      if (action !== 'start' && (own.has(name.toLowerCase()) || (await runsAgent(name))))
        throw new ToolFailure('DENIED', `${name} is the service of the agent, which must not be stopped through itself`)
      return services.control(name, action)
    },
  }
}
