// Original file: proto/gateway/v1/reconciliation.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { Adjustment as _gateway_v1_Adjustment, Adjustment__Output as _gateway_v1_Adjustment__Output } from '../../gateway/v1/Adjustment.ts';
import type { BillMapping as _gateway_v1_BillMapping, BillMapping__Output as _gateway_v1_BillMapping__Output } from '../../gateway/v1/BillMapping.ts';
import type { DeleteBillRequest as _gateway_v1_DeleteBillRequest, DeleteBillRequest__Output as _gateway_v1_DeleteBillRequest__Output } from '../../gateway/v1/DeleteBillRequest.ts';
import type { DeleteBillResponse as _gateway_v1_DeleteBillResponse, DeleteBillResponse__Output as _gateway_v1_DeleteBillResponse__Output } from '../../gateway/v1/DeleteBillResponse.ts';
import type { DeleteMappingRequest as _gateway_v1_DeleteMappingRequest, DeleteMappingRequest__Output as _gateway_v1_DeleteMappingRequest__Output } from '../../gateway/v1/DeleteMappingRequest.ts';
import type { DeleteMappingResponse as _gateway_v1_DeleteMappingResponse, DeleteMappingResponse__Output as _gateway_v1_DeleteMappingResponse__Output } from '../../gateway/v1/DeleteMappingResponse.ts';
import type { Drift as _gateway_v1_Drift, Drift__Output as _gateway_v1_Drift__Output } from '../../gateway/v1/Drift.ts';
import type { GetDriftRequest as _gateway_v1_GetDriftRequest, GetDriftRequest__Output as _gateway_v1_GetDriftRequest__Output } from '../../gateway/v1/GetDriftRequest.ts';
import type { GetReconciliationSettingsRequest as _gateway_v1_GetReconciliationSettingsRequest, GetReconciliationSettingsRequest__Output as _gateway_v1_GetReconciliationSettingsRequest__Output } from '../../gateway/v1/GetReconciliationSettingsRequest.ts';
import type { ImportBillRequest as _gateway_v1_ImportBillRequest, ImportBillRequest__Output as _gateway_v1_ImportBillRequest__Output } from '../../gateway/v1/ImportBillRequest.ts';
import type { ImportBillResponse as _gateway_v1_ImportBillResponse, ImportBillResponse__Output as _gateway_v1_ImportBillResponse__Output } from '../../gateway/v1/ImportBillResponse.ts';
import type { ListAdjustmentsRequest as _gateway_v1_ListAdjustmentsRequest, ListAdjustmentsRequest__Output as _gateway_v1_ListAdjustmentsRequest__Output } from '../../gateway/v1/ListAdjustmentsRequest.ts';
import type { ListAdjustmentsResponse as _gateway_v1_ListAdjustmentsResponse, ListAdjustmentsResponse__Output as _gateway_v1_ListAdjustmentsResponse__Output } from '../../gateway/v1/ListAdjustmentsResponse.ts';
import type { ListBillDaysRequest as _gateway_v1_ListBillDaysRequest, ListBillDaysRequest__Output as _gateway_v1_ListBillDaysRequest__Output } from '../../gateway/v1/ListBillDaysRequest.ts';
import type { ListBillDaysResponse as _gateway_v1_ListBillDaysResponse, ListBillDaysResponse__Output as _gateway_v1_ListBillDaysResponse__Output } from '../../gateway/v1/ListBillDaysResponse.ts';
import type { ListDriftRequest as _gateway_v1_ListDriftRequest, ListDriftRequest__Output as _gateway_v1_ListDriftRequest__Output } from '../../gateway/v1/ListDriftRequest.ts';
import type { ListDriftResponse as _gateway_v1_ListDriftResponse, ListDriftResponse__Output as _gateway_v1_ListDriftResponse__Output } from '../../gateway/v1/ListDriftResponse.ts';
import type { ListMappingsRequest as _gateway_v1_ListMappingsRequest, ListMappingsRequest__Output as _gateway_v1_ListMappingsRequest__Output } from '../../gateway/v1/ListMappingsRequest.ts';
import type { ListMappingsResponse as _gateway_v1_ListMappingsResponse, ListMappingsResponse__Output as _gateway_v1_ListMappingsResponse__Output } from '../../gateway/v1/ListMappingsResponse.ts';
import type { ListReconciledDaysRequest as _gateway_v1_ListReconciledDaysRequest, ListReconciledDaysRequest__Output as _gateway_v1_ListReconciledDaysRequest__Output } from '../../gateway/v1/ListReconciledDaysRequest.ts';
import type { ListReconciledDaysResponse as _gateway_v1_ListReconciledDaysResponse, ListReconciledDaysResponse__Output as _gateway_v1_ListReconciledDaysResponse__Output } from '../../gateway/v1/ListReconciledDaysResponse.ts';
import type { ReconciliationSettings as _gateway_v1_ReconciliationSettings, ReconciliationSettings__Output as _gateway_v1_ReconciliationSettings__Output } from '../../gateway/v1/ReconciliationSettings.ts';
import type { SetMappingRequest as _gateway_v1_SetMappingRequest, SetMappingRequest__Output as _gateway_v1_SetMappingRequest__Output } from '../../gateway/v1/SetMappingRequest.ts';
import type { SettleDriftRequest as _gateway_v1_SettleDriftRequest, SettleDriftRequest__Output as _gateway_v1_SettleDriftRequest__Output } from '../../gateway/v1/SettleDriftRequest.ts';
import type { UndoAdjustmentRequest as _gateway_v1_UndoAdjustmentRequest, UndoAdjustmentRequest__Output as _gateway_v1_UndoAdjustmentRequest__Output } from '../../gateway/v1/UndoAdjustmentRequest.ts';
import type { UpdateReconciliationSettingsRequest as _gateway_v1_UpdateReconciliationSettingsRequest, UpdateReconciliationSettingsRequest__Output as _gateway_v1_UpdateReconciliationSettingsRequest__Output } from '../../gateway/v1/UpdateReconciliationSettingsRequest.ts';

export interface ReconciliationClient extends grpc.Client {
  DeleteBill(argument: _gateway_v1_DeleteBillRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_DeleteBillResponse__Output>): grpc.ClientUnaryCall;
  DeleteBill(argument: _gateway_v1_DeleteBillRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_DeleteBillResponse__Output>): grpc.ClientUnaryCall;
  DeleteBill(argument: _gateway_v1_DeleteBillRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_DeleteBillResponse__Output>): grpc.ClientUnaryCall;
  DeleteBill(argument: _gateway_v1_DeleteBillRequest, callback: grpc.requestCallback<_gateway_v1_DeleteBillResponse__Output>): grpc.ClientUnaryCall;
  deleteBill(argument: _gateway_v1_DeleteBillRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_DeleteBillResponse__Output>): grpc.ClientUnaryCall;
  deleteBill(argument: _gateway_v1_DeleteBillRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_DeleteBillResponse__Output>): grpc.ClientUnaryCall;
  deleteBill(argument: _gateway_v1_DeleteBillRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_DeleteBillResponse__Output>): grpc.ClientUnaryCall;
  deleteBill(argument: _gateway_v1_DeleteBillRequest, callback: grpc.requestCallback<_gateway_v1_DeleteBillResponse__Output>): grpc.ClientUnaryCall;
  
  DeleteMapping(argument: _gateway_v1_DeleteMappingRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_DeleteMappingResponse__Output>): grpc.ClientUnaryCall;
  DeleteMapping(argument: _gateway_v1_DeleteMappingRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_DeleteMappingResponse__Output>): grpc.ClientUnaryCall;
  DeleteMapping(argument: _gateway_v1_DeleteMappingRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_DeleteMappingResponse__Output>): grpc.ClientUnaryCall;
  DeleteMapping(argument: _gateway_v1_DeleteMappingRequest, callback: grpc.requestCallback<_gateway_v1_DeleteMappingResponse__Output>): grpc.ClientUnaryCall;
  deleteMapping(argument: _gateway_v1_DeleteMappingRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_DeleteMappingResponse__Output>): grpc.ClientUnaryCall;
  deleteMapping(argument: _gateway_v1_DeleteMappingRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_DeleteMappingResponse__Output>): grpc.ClientUnaryCall;
  deleteMapping(argument: _gateway_v1_DeleteMappingRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_DeleteMappingResponse__Output>): grpc.ClientUnaryCall;
  deleteMapping(argument: _gateway_v1_DeleteMappingRequest, callback: grpc.requestCallback<_gateway_v1_DeleteMappingResponse__Output>): grpc.ClientUnaryCall;
  
  GetDrift(argument: _gateway_v1_GetDriftRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Drift__Output>): grpc.ClientUnaryCall;
  GetDrift(argument: _gateway_v1_GetDriftRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Drift__Output>): grpc.ClientUnaryCall;
  GetDrift(argument: _gateway_v1_GetDriftRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Drift__Output>): grpc.ClientUnaryCall;
  GetDrift(argument: _gateway_v1_GetDriftRequest, callback: grpc.requestCallback<_gateway_v1_Drift__Output>): grpc.ClientUnaryCall;
  getDrift(argument: _gateway_v1_GetDriftRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Drift__Output>): grpc.ClientUnaryCall;
  getDrift(argument: _gateway_v1_GetDriftRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Drift__Output>): grpc.ClientUnaryCall;
  getDrift(argument: _gateway_v1_GetDriftRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Drift__Output>): grpc.ClientUnaryCall;
  getDrift(argument: _gateway_v1_GetDriftRequest, callback: grpc.requestCallback<_gateway_v1_Drift__Output>): grpc.ClientUnaryCall;
  
  GetSettings(argument: _gateway_v1_GetReconciliationSettingsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ReconciliationSettings__Output>): grpc.ClientUnaryCall;
  GetSettings(argument: _gateway_v1_GetReconciliationSettingsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ReconciliationSettings__Output>): grpc.ClientUnaryCall;
  GetSettings(argument: _gateway_v1_GetReconciliationSettingsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ReconciliationSettings__Output>): grpc.ClientUnaryCall;
  GetSettings(argument: _gateway_v1_GetReconciliationSettingsRequest, callback: grpc.requestCallback<_gateway_v1_ReconciliationSettings__Output>): grpc.ClientUnaryCall;
  getSettings(argument: _gateway_v1_GetReconciliationSettingsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ReconciliationSettings__Output>): grpc.ClientUnaryCall;
  getSettings(argument: _gateway_v1_GetReconciliationSettingsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ReconciliationSettings__Output>): grpc.ClientUnaryCall;
  getSettings(argument: _gateway_v1_GetReconciliationSettingsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ReconciliationSettings__Output>): grpc.ClientUnaryCall;
  getSettings(argument: _gateway_v1_GetReconciliationSettingsRequest, callback: grpc.requestCallback<_gateway_v1_ReconciliationSettings__Output>): grpc.ClientUnaryCall;
  
  ImportBill(argument: _gateway_v1_ImportBillRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ImportBillResponse__Output>): grpc.ClientUnaryCall;
  ImportBill(argument: _gateway_v1_ImportBillRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ImportBillResponse__Output>): grpc.ClientUnaryCall;
  ImportBill(argument: _gateway_v1_ImportBillRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ImportBillResponse__Output>): grpc.ClientUnaryCall;
  ImportBill(argument: _gateway_v1_ImportBillRequest, callback: grpc.requestCallback<_gateway_v1_ImportBillResponse__Output>): grpc.ClientUnaryCall;
  importBill(argument: _gateway_v1_ImportBillRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ImportBillResponse__Output>): grpc.ClientUnaryCall;
  importBill(argument: _gateway_v1_ImportBillRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ImportBillResponse__Output>): grpc.ClientUnaryCall;
  importBill(argument: _gateway_v1_ImportBillRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ImportBillResponse__Output>): grpc.ClientUnaryCall;
  importBill(argument: _gateway_v1_ImportBillRequest, callback: grpc.requestCallback<_gateway_v1_ImportBillResponse__Output>): grpc.ClientUnaryCall;
  
  ListAdjustments(argument: _gateway_v1_ListAdjustmentsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListAdjustmentsResponse__Output>): grpc.ClientUnaryCall;
  ListAdjustments(argument: _gateway_v1_ListAdjustmentsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ListAdjustmentsResponse__Output>): grpc.ClientUnaryCall;
  ListAdjustments(argument: _gateway_v1_ListAdjustmentsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListAdjustmentsResponse__Output>): grpc.ClientUnaryCall;
  ListAdjustments(argument: _gateway_v1_ListAdjustmentsRequest, callback: grpc.requestCallback<_gateway_v1_ListAdjustmentsResponse__Output>): grpc.ClientUnaryCall;
  listAdjustments(argument: _gateway_v1_ListAdjustmentsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListAdjustmentsResponse__Output>): grpc.ClientUnaryCall;
  listAdjustments(argument: _gateway_v1_ListAdjustmentsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ListAdjustmentsResponse__Output>): grpc.ClientUnaryCall;
  listAdjustments(argument: _gateway_v1_ListAdjustmentsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListAdjustmentsResponse__Output>): grpc.ClientUnaryCall;
  listAdjustments(argument: _gateway_v1_ListAdjustmentsRequest, callback: grpc.requestCallback<_gateway_v1_ListAdjustmentsResponse__Output>): grpc.ClientUnaryCall;
  
  ListBillDays(argument: _gateway_v1_ListBillDaysRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListBillDaysResponse__Output>): grpc.ClientUnaryCall;
  ListBillDays(argument: _gateway_v1_ListBillDaysRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ListBillDaysResponse__Output>): grpc.ClientUnaryCall;
  ListBillDays(argument: _gateway_v1_ListBillDaysRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListBillDaysResponse__Output>): grpc.ClientUnaryCall;
  ListBillDays(argument: _gateway_v1_ListBillDaysRequest, callback: grpc.requestCallback<_gateway_v1_ListBillDaysResponse__Output>): grpc.ClientUnaryCall;
  listBillDays(argument: _gateway_v1_ListBillDaysRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListBillDaysResponse__Output>): grpc.ClientUnaryCall;
  listBillDays(argument: _gateway_v1_ListBillDaysRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ListBillDaysResponse__Output>): grpc.ClientUnaryCall;
  listBillDays(argument: _gateway_v1_ListBillDaysRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListBillDaysResponse__Output>): grpc.ClientUnaryCall;
  listBillDays(argument: _gateway_v1_ListBillDaysRequest, callback: grpc.requestCallback<_gateway_v1_ListBillDaysResponse__Output>): grpc.ClientUnaryCall;
  
  ListDays(argument: _gateway_v1_ListReconciledDaysRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListReconciledDaysResponse__Output>): grpc.ClientUnaryCall;
  ListDays(argument: _gateway_v1_ListReconciledDaysRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ListReconciledDaysResponse__Output>): grpc.ClientUnaryCall;
  ListDays(argument: _gateway_v1_ListReconciledDaysRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListReconciledDaysResponse__Output>): grpc.ClientUnaryCall;
  ListDays(argument: _gateway_v1_ListReconciledDaysRequest, callback: grpc.requestCallback<_gateway_v1_ListReconciledDaysResponse__Output>): grpc.ClientUnaryCall;
  listDays(argument: _gateway_v1_ListReconciledDaysRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListReconciledDaysResponse__Output>): grpc.ClientUnaryCall;
  listDays(argument: _gateway_v1_ListReconciledDaysRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ListReconciledDaysResponse__Output>): grpc.ClientUnaryCall;
  listDays(argument: _gateway_v1_ListReconciledDaysRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListReconciledDaysResponse__Output>): grpc.ClientUnaryCall;
  listDays(argument: _gateway_v1_ListReconciledDaysRequest, callback: grpc.requestCallback<_gateway_v1_ListReconciledDaysResponse__Output>): grpc.ClientUnaryCall;
  
  ListDrift(argument: _gateway_v1_ListDriftRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListDriftResponse__Output>): grpc.ClientUnaryCall;
  ListDrift(argument: _gateway_v1_ListDriftRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ListDriftResponse__Output>): grpc.ClientUnaryCall;
  ListDrift(argument: _gateway_v1_ListDriftRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListDriftResponse__Output>): grpc.ClientUnaryCall;
  ListDrift(argument: _gateway_v1_ListDriftRequest, callback: grpc.requestCallback<_gateway_v1_ListDriftResponse__Output>): grpc.ClientUnaryCall;
  listDrift(argument: _gateway_v1_ListDriftRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListDriftResponse__Output>): grpc.ClientUnaryCall;
  listDrift(argument: _gateway_v1_ListDriftRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ListDriftResponse__Output>): grpc.ClientUnaryCall;
  listDrift(argument: _gateway_v1_ListDriftRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListDriftResponse__Output>): grpc.ClientUnaryCall;
  listDrift(argument: _gateway_v1_ListDriftRequest, callback: grpc.requestCallback<_gateway_v1_ListDriftResponse__Output>): grpc.ClientUnaryCall;
  
  ListMappings(argument: _gateway_v1_ListMappingsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListMappingsResponse__Output>): grpc.ClientUnaryCall;
  ListMappings(argument: _gateway_v1_ListMappingsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ListMappingsResponse__Output>): grpc.ClientUnaryCall;
  ListMappings(argument: _gateway_v1_ListMappingsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListMappingsResponse__Output>): grpc.ClientUnaryCall;
  ListMappings(argument: _gateway_v1_ListMappingsRequest, callback: grpc.requestCallback<_gateway_v1_ListMappingsResponse__Output>): grpc.ClientUnaryCall;
  listMappings(argument: _gateway_v1_ListMappingsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListMappingsResponse__Output>): grpc.ClientUnaryCall;
  listMappings(argument: _gateway_v1_ListMappingsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ListMappingsResponse__Output>): grpc.ClientUnaryCall;
  listMappings(argument: _gateway_v1_ListMappingsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ListMappingsResponse__Output>): grpc.ClientUnaryCall;
  listMappings(argument: _gateway_v1_ListMappingsRequest, callback: grpc.requestCallback<_gateway_v1_ListMappingsResponse__Output>): grpc.ClientUnaryCall;
  
  SetMapping(argument: _gateway_v1_SetMappingRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_BillMapping__Output>): grpc.ClientUnaryCall;
  SetMapping(argument: _gateway_v1_SetMappingRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_BillMapping__Output>): grpc.ClientUnaryCall;
  SetMapping(argument: _gateway_v1_SetMappingRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_BillMapping__Output>): grpc.ClientUnaryCall;
  SetMapping(argument: _gateway_v1_SetMappingRequest, callback: grpc.requestCallback<_gateway_v1_BillMapping__Output>): grpc.ClientUnaryCall;
  setMapping(argument: _gateway_v1_SetMappingRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_BillMapping__Output>): grpc.ClientUnaryCall;
  setMapping(argument: _gateway_v1_SetMappingRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_BillMapping__Output>): grpc.ClientUnaryCall;
  setMapping(argument: _gateway_v1_SetMappingRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_BillMapping__Output>): grpc.ClientUnaryCall;
  setMapping(argument: _gateway_v1_SetMappingRequest, callback: grpc.requestCallback<_gateway_v1_BillMapping__Output>): grpc.ClientUnaryCall;
  
  Settle(argument: _gateway_v1_SettleDriftRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Adjustment__Output>): grpc.ClientUnaryCall;
  Settle(argument: _gateway_v1_SettleDriftRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Adjustment__Output>): grpc.ClientUnaryCall;
  Settle(argument: _gateway_v1_SettleDriftRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Adjustment__Output>): grpc.ClientUnaryCall;
  Settle(argument: _gateway_v1_SettleDriftRequest, callback: grpc.requestCallback<_gateway_v1_Adjustment__Output>): grpc.ClientUnaryCall;
  settle(argument: _gateway_v1_SettleDriftRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Adjustment__Output>): grpc.ClientUnaryCall;
  settle(argument: _gateway_v1_SettleDriftRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Adjustment__Output>): grpc.ClientUnaryCall;
  settle(argument: _gateway_v1_SettleDriftRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Adjustment__Output>): grpc.ClientUnaryCall;
  settle(argument: _gateway_v1_SettleDriftRequest, callback: grpc.requestCallback<_gateway_v1_Adjustment__Output>): grpc.ClientUnaryCall;
  
  Undo(argument: _gateway_v1_UndoAdjustmentRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Adjustment__Output>): grpc.ClientUnaryCall;
  Undo(argument: _gateway_v1_UndoAdjustmentRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Adjustment__Output>): grpc.ClientUnaryCall;
  Undo(argument: _gateway_v1_UndoAdjustmentRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Adjustment__Output>): grpc.ClientUnaryCall;
  Undo(argument: _gateway_v1_UndoAdjustmentRequest, callback: grpc.requestCallback<_gateway_v1_Adjustment__Output>): grpc.ClientUnaryCall;
  undo(argument: _gateway_v1_UndoAdjustmentRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Adjustment__Output>): grpc.ClientUnaryCall;
  undo(argument: _gateway_v1_UndoAdjustmentRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_Adjustment__Output>): grpc.ClientUnaryCall;
  undo(argument: _gateway_v1_UndoAdjustmentRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_Adjustment__Output>): grpc.ClientUnaryCall;
  undo(argument: _gateway_v1_UndoAdjustmentRequest, callback: grpc.requestCallback<_gateway_v1_Adjustment__Output>): grpc.ClientUnaryCall;
  
  UpdateSettings(argument: _gateway_v1_UpdateReconciliationSettingsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ReconciliationSettings__Output>): grpc.ClientUnaryCall;
  UpdateSettings(argument: _gateway_v1_UpdateReconciliationSettingsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ReconciliationSettings__Output>): grpc.ClientUnaryCall;
  UpdateSettings(argument: _gateway_v1_UpdateReconciliationSettingsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ReconciliationSettings__Output>): grpc.ClientUnaryCall;
  UpdateSettings(argument: _gateway_v1_UpdateReconciliationSettingsRequest, callback: grpc.requestCallback<_gateway_v1_ReconciliationSettings__Output>): grpc.ClientUnaryCall;
  updateSettings(argument: _gateway_v1_UpdateReconciliationSettingsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ReconciliationSettings__Output>): grpc.ClientUnaryCall;
  updateSettings(argument: _gateway_v1_UpdateReconciliationSettingsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_gateway_v1_ReconciliationSettings__Output>): grpc.ClientUnaryCall;
  updateSettings(argument: _gateway_v1_UpdateReconciliationSettingsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_gateway_v1_ReconciliationSettings__Output>): grpc.ClientUnaryCall;
  updateSettings(argument: _gateway_v1_UpdateReconciliationSettingsRequest, callback: grpc.requestCallback<_gateway_v1_ReconciliationSettings__Output>): grpc.ClientUnaryCall;
  
}

export interface ReconciliationHandlers extends grpc.UntypedServiceImplementation {
  DeleteBill: grpc.handleUnaryCall<_gateway_v1_DeleteBillRequest__Output, _gateway_v1_DeleteBillResponse>;
  
  DeleteMapping: grpc.handleUnaryCall<_gateway_v1_DeleteMappingRequest__Output, _gateway_v1_DeleteMappingResponse>;
  
  GetDrift: grpc.handleUnaryCall<_gateway_v1_GetDriftRequest__Output, _gateway_v1_Drift>;
  
  GetSettings: grpc.handleUnaryCall<_gateway_v1_GetReconciliationSettingsRequest__Output, _gateway_v1_ReconciliationSettings>;
  
  ImportBill: grpc.handleUnaryCall<_gateway_v1_ImportBillRequest__Output, _gateway_v1_ImportBillResponse>;
  
  ListAdjustments: grpc.handleUnaryCall<_gateway_v1_ListAdjustmentsRequest__Output, _gateway_v1_ListAdjustmentsResponse>;
  
  ListBillDays: grpc.handleUnaryCall<_gateway_v1_ListBillDaysRequest__Output, _gateway_v1_ListBillDaysResponse>;
  
  ListDays: grpc.handleUnaryCall<_gateway_v1_ListReconciledDaysRequest__Output, _gateway_v1_ListReconciledDaysResponse>;
  
  ListDrift: grpc.handleUnaryCall<_gateway_v1_ListDriftRequest__Output, _gateway_v1_ListDriftResponse>;
  
  ListMappings: grpc.handleUnaryCall<_gateway_v1_ListMappingsRequest__Output, _gateway_v1_ListMappingsResponse>;
  
  SetMapping: grpc.handleUnaryCall<_gateway_v1_SetMappingRequest__Output, _gateway_v1_BillMapping>;
  
  Settle: grpc.handleUnaryCall<_gateway_v1_SettleDriftRequest__Output, _gateway_v1_Adjustment>;
  
  Undo: grpc.handleUnaryCall<_gateway_v1_UndoAdjustmentRequest__Output, _gateway_v1_Adjustment>;
  
  UpdateSettings: grpc.handleUnaryCall<_gateway_v1_UpdateReconciliationSettingsRequest__Output, _gateway_v1_ReconciliationSettings>;
  
}

export interface ReconciliationDefinition extends grpc.ServiceDefinition {
  DeleteBill: MethodDefinition<_gateway_v1_DeleteBillRequest, _gateway_v1_DeleteBillResponse, _gateway_v1_DeleteBillRequest__Output, _gateway_v1_DeleteBillResponse__Output>
  DeleteMapping: MethodDefinition<_gateway_v1_DeleteMappingRequest, _gateway_v1_DeleteMappingResponse, _gateway_v1_DeleteMappingRequest__Output, _gateway_v1_DeleteMappingResponse__Output>
  GetDrift: MethodDefinition<_gateway_v1_GetDriftRequest, _gateway_v1_Drift, _gateway_v1_GetDriftRequest__Output, _gateway_v1_Drift__Output>
  GetSettings: MethodDefinition<_gateway_v1_GetReconciliationSettingsRequest, _gateway_v1_ReconciliationSettings, _gateway_v1_GetReconciliationSettingsRequest__Output, _gateway_v1_ReconciliationSettings__Output>
  ImportBill: MethodDefinition<_gateway_v1_ImportBillRequest, _gateway_v1_ImportBillResponse, _gateway_v1_ImportBillRequest__Output, _gateway_v1_ImportBillResponse__Output>
  ListAdjustments: MethodDefinition<_gateway_v1_ListAdjustmentsRequest, _gateway_v1_ListAdjustmentsResponse, _gateway_v1_ListAdjustmentsRequest__Output, _gateway_v1_ListAdjustmentsResponse__Output>
  ListBillDays: MethodDefinition<_gateway_v1_ListBillDaysRequest, _gateway_v1_ListBillDaysResponse, _gateway_v1_ListBillDaysRequest__Output, _gateway_v1_ListBillDaysResponse__Output>
  ListDays: MethodDefinition<_gateway_v1_ListReconciledDaysRequest, _gateway_v1_ListReconciledDaysResponse, _gateway_v1_ListReconciledDaysRequest__Output, _gateway_v1_ListReconciledDaysResponse__Output>
  ListDrift: MethodDefinition<_gateway_v1_ListDriftRequest, _gateway_v1_ListDriftResponse, _gateway_v1_ListDriftRequest__Output, _gateway_v1_ListDriftResponse__Output>
  ListMappings: MethodDefinition<_gateway_v1_ListMappingsRequest, _gateway_v1_ListMappingsResponse, _gateway_v1_ListMappingsRequest__Output, _gateway_v1_ListMappingsResponse__Output>
  SetMapping: MethodDefinition<_gateway_v1_SetMappingRequest, _gateway_v1_BillMapping, _gateway_v1_SetMappingRequest__Output, _gateway_v1_BillMapping__Output>
  Settle: MethodDefinition<_gateway_v1_SettleDriftRequest, _gateway_v1_Adjustment, _gateway_v1_SettleDriftRequest__Output, _gateway_v1_Adjustment__Output>
  Undo: MethodDefinition<_gateway_v1_UndoAdjustmentRequest, _gateway_v1_Adjustment, _gateway_v1_UndoAdjustmentRequest__Output, _gateway_v1_Adjustment__Output>
  UpdateSettings: MethodDefinition<_gateway_v1_UpdateReconciliationSettingsRequest, _gateway_v1_ReconciliationSettings, _gateway_v1_UpdateReconciliationSettingsRequest__Output, _gateway_v1_ReconciliationSettings__Output>
}
