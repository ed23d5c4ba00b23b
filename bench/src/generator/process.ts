// One client process of the load generator. It does what its parent asks and ends when the parent is gone.

import { answerRequests } from '../answering.ts'
import { Agents } from './agents.ts'
import { Request } from './messages.ts'
import { keepPace } from './pacer.ts'

// Nobody reads where a refused connection was refused, and after an outage there are tens of thousands of them.
Error.stackTraceLimit = 0

let agents: Agents | undefined

function ours(): Agents {
  if (agents === undefined) throw new Error('no agents yet')
  return agents
}

async function answer(request: Request): Promise<unknown> {
  switch (request.ask) {
    case 'plan':
      agents?.stop()
      agents = new Agents(request.plan)
      return {}
    case 'open':
      ours().open(request.agents)
      return {}
    case 'standing':
      return ours().standing()
    case 'pace': {
      const { ledger } = ours()
      const paced = await keepPace(request, ledger.agents, (agent, dueMs) => ours().beat(agent, dueMs))
      return { ...paced, lateness: paced.lateness.parts() }
    }
    case 'latency': {
      const latency = ours().ackLatency.parts()
      ours().ackLatency.clear()
      return { latency }
    }
    case 'receipts':
      return { receipts: ours().takeReceipts() }
    case 'save':
      ours().ledger.save(request.path)
      return {}
    case 'closeBooks':
      ours().ledger.closeBooks()
      return {}
    case 'stop':
      agents?.stop()
      agents = undefined
      return {}
  }
}

answerRequests((request) => answer(Request.parse(request)))
