// One client process of the load generator. It carries out its parent's requests and ends with it.

import { answerRequests } from '../answering.ts'
import { Agents } from './agents.ts'
import { Request } from './messages.ts'
import { keepPace } from './pacer.ts'

// Stack traces of refused connections are not needed, and after an outage there are tens of thousands of them.
Error.stackTraceLimit = 0

let agents: Agents | undefined

function ours(): Agents {
  if (agents === undefined) throw new Error('the agents were not created yet')
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
