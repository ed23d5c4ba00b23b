// The functions of the queues that the worker may use.
export { contentOf, type DeadLetter, deadLetters, findDeadLetter, replayDeadLetter } from './dead-streams.ts'
