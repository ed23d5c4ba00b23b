import { background } from '../../background/background.ts'
import { factObserver } from './fact-observer.ts'

export default background({ observers: [factObserver] })
