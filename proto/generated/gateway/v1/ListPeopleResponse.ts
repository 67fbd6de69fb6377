// Original file: proto/gateway/v1/people.proto

import type { Person as _gateway_v1_Person, Person__Output as _gateway_v1_Person__Output } from '../../gateway/v1/Person.ts';

export interface ListPeopleResponse {
  'people'?: (_gateway_v1_Person)[];
  'nextPageToken'?: (string);
}

export interface ListPeopleResponse__Output {
  'people': (_gateway_v1_Person__Output)[];
  'nextPageToken': (string);
}
