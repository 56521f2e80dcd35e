// The parts of rxjs that the bundled packages use. On Node this entry holds them in one file, because loading rxjs takes a
// server longer than loading all packages: 223 files. Its observables work with those of an application's rxjs, which knows
// observables by their methods. Elsewhere it is rxjs itself, so that a page has it once.

export {
  BehaviorSubject,
  catchError,
  defer,
  EMPTY,
  endWith,
  filter,
  finalize,
  firstValueFrom,
  from,
  ignoreElements,
  map,
  merge,
  mergeMap,
  NEVER,
  Observable,
  of,
  ReplaySubject,
  Subject,
  Subscription,
  share,
  switchMap,
  take,
  takeUntil,
  takeWhile,
} from "rxjs"
