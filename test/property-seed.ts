// Properties are tried with the same cases in every run of the gate, so that a change is judged by what it changes. Other cases
// are looked for where there is time: PROPERTY_SEED=random draws a seed, which the report of a failure names; any other
// number repeats one. PROPERTY_SCALE tries so many times as many cases.
import fc from 'fast-check'

const usualSeed = 20_261_121
const usualRuns = 100

const { PROPERTY_SEED: given = '', PROPERTY_SCALE: scale = '1' } = process.env
const seed = given === '' ? usualSeed : given === 'random' ? undefined : Number(given)

fc.configureGlobal({ ...(seed === undefined ? {} : { seed }), numRuns: Math.ceil(usualRuns * Number(scale)) })
